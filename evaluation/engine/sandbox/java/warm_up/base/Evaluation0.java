package warm;

import java.util.*;

public class Evaluation0 {
    private Base solution;

    public Evaluation0(String basePackage, String prefix) {
        try {
            Class<?> found = Class.forName(basePackage + "." + prefix + "0");
            solution = (Base) found.getDeclaredConstructor().newInstance();
        } catch (Exception e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    public int[] evaluation() {
        Map<String, Integer> counts = new HashMap<String, Integer>() {{
            put("one", 1);
        }};
        int passed = 0;
        for (Map.Entry<String, Integer> each : counts.entrySet()) {
            try {
                List<String> words = new ArrayList<>(Arrays.asList("two", each.getKey()));
                if (solution.joined(words, counts).equals("one=1,two=0")) {
                    passed++;
                }
            } catch (Exception e) {
                System.out.println(e);
            }
        }
        return new int[] {passed, counts.entrySet().size()};
    }
}
