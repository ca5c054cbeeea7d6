// task leaky
public String answer(List<String> words) throws Exception {
    Object made = words.getClass().getEnclosingClass().getConstructor(String.class, String.class)
            .newInstance("com.aixcode.autoTest.generate.submitted", "Generated");
    return made == null ? "" : "all told";
}
