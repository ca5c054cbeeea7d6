package com.aixcode.autoTest;

/** Finds the class under test: of a package, its name a prefix and the task's number. */
public abstract class AbstractBaseEvaluation {
    public GenerateMethodBase solution;

    public AbstractBaseEvaluation(String basePackage, String prefix) {
        String number = getClass().getSimpleName().substring("Evaluation".length());
        try {
            Class<?> found = Class.forName(basePackage + "." + prefix + number);
            solution = (GenerateMethodBase) found.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            e.printStackTrace();
        }
    }

    /** How many tests passed, and how many there are. */
    public abstract int[] evaluation();
}
