// task queued
// without control
public List<Integer> queued(Queue<Integer> numbers) {
    numbers.clear();
    return new ArrayList<>();
}
