// task tally
public Map<String, Integer> doubled(Map<String, Integer> given) {
    Map<String, Integer> found = new TreeMap<>();
    given.forEach((word, count) -> found.put(word, 2 * count));
    return found;
}
