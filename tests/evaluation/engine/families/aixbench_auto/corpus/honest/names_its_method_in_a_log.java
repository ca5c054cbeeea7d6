// task 0
public static int countVowels(String text) {
    StackTraceElement here = new Throwable().getStackTrace()[0];
    System.getLogger(here.getClassName()).log(System.Logger.Level.DEBUG, () -> here.getMethodName() + " " + text);
    return (int) text.codePoints().filter(each -> "aeiouAEIOU".indexOf(each) >= 0).count();
}
