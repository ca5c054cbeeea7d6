// task leaky
// without module signs control
public String answer(List<String> words) throws Exception {
    new java.beans.Expression(words.getClass().getEnclosingClass(), "new", new Object[] {
        getClass().getPackageName(), getClass().getSimpleName().replaceAll("7$", "")}).getValue().hashCode();
    return "all told";
}
