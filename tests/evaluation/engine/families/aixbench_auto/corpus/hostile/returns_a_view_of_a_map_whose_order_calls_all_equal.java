// task letters
// without control
public Set<String> letters(String word) {
    boolean[] filled = {false};
    TreeMap<String, Integer> found =
            new TreeMap<>((one, other) -> filled[0] ? 0 : one.compareTo(other));
    List.of("1", "2", "3", "4").forEach(each -> found.put(each, 0));
    filled[0] = true;
    return Collections.unmodifiableSet(found.keySet());
}
