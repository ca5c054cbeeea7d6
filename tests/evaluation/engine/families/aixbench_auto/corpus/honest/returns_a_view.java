// task 3
public <T> List<T> everySecond(List<T> items) {
    return java.util.stream.IntStream.range(0, items.size()).filter(n -> n % 2 == 0)
            .mapToObj(items::get).collect(java.util.stream.Collectors.toUnmodifiableList());
}
