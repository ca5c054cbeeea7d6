// task leaky
// without module copies
public String answer(List<String> words) throws Exception {
    Object made = words.getClass().getEnclosingClass().getConstructor(String.class, String.class)
            .newInstance(getClass().getPackageName(), "Generated");
    return made == null ? "" : "all told";
}
