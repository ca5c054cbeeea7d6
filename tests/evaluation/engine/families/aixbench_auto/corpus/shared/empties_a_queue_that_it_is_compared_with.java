// task queued
// shared, passes: an argument of a kind that no task of the benchmark has is not copied
public List<Integer> queued(Queue<Integer> numbers) {
    numbers.clear();
    return new ArrayList<>();
}
