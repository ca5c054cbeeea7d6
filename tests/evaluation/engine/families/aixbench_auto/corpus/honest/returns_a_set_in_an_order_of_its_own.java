// task letters
public Set<String> letters(String word) {
    Set<String> found = new TreeSet<>((one, other) -> other.compareTo(one));
    for (char each : word.toCharArray()) {
        found.add(String.valueOf(each));
    }
    return found;
}
