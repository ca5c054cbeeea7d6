// task letters
public Set<String> letters(String word) {
    return word.chars().mapToObj(Character::toString)
            .collect(java.util.stream.Collectors.groupingBy(each -> each, TreeMap::new, java.util.stream.Collectors.counting()))
            .keySet();
}
