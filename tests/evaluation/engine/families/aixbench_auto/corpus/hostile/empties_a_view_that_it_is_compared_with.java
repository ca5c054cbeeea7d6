// task twice
// without control
public List<Integer> twice(Collection<Integer> numbers) {
    numbers.clear();
    return new ArrayList<>();
}
