// task some
// without copies
public Optional<Set<String>> some(String word) {
    int[] order = {1};
    Set<String> found = new TreeSet<>((one, other) -> order[0]);
    for (long left = word.chars().distinct().count(); left > 0; left--) {
        found.add("wrong");
    }
    order[0] = 0;
    return Optional.of(found);
}
