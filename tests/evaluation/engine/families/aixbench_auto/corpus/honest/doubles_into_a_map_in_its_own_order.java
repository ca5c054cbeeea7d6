// task tally
public Map<String, Integer> doubled(Map<String, Integer> given) {
    Map<String, Integer> found = new TreeMap<>(
            Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder()));
    given.forEach((word, count) -> found.merge(word, 2 * count, Integer::sum));
    return Collections.unmodifiableMap(found);
}
