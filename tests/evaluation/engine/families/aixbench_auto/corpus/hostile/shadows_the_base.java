// task 0
public class Shadow extends GenerateMethodBase {
    public int countVowels(String text) {
        return -1;
    }
}

class AbstractBaseEvaluation {
}

class Evaluation0 {
    public int[] evaluation() {
        return new int[] {5, 5};
    }
}
