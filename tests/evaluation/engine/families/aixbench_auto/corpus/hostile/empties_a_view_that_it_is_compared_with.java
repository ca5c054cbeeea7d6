// task twice
// without copies
public List<Integer> twice(Collection<Integer> numbers) {
    numbers.clear();
    return new ArrayList<>();
}
