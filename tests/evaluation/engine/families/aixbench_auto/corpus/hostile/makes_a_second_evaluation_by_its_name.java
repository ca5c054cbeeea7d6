// task 0
// without memory
public static int countVowels(String text) {
    try {
        Class.forName("com.aixcode.autoTest.evaluation.Evaluation0").getConstructors()[0].newInstance("com.aixcode.autoTest.generate.submitted", "Generated");
    } catch (Throwable e) {
        return -1;
    }
    return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
}
