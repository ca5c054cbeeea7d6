// task leaky
public String answer(List<String> words) {
    return String.join(" ", words);
}
