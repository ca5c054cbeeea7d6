// task entry
public Map.Entry<String, Set<String>> entry(String word) { return new AbstractMap.SimpleEntry<>(word, new HashSet<>(List.of(word.split("")))); }
