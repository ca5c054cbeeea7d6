// task halves
public Set<List<String>> halves(List<String> words) throws Exception {
    int half = words.size() / 2;
    return new HashSet<>(List.of(new ArrayList<>(words.subList(0, half)), new ArrayList<>(words.subList(half, words.size()))));
}
