package com.aixcode.autoTest.evaluation;

import com.aixcode.autoTest.AbstractBaseEvaluation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

public class Evaluation8 extends AbstractBaseEvaluation {
    public Evaluation8(String basePackage, String prefix) {
        super(basePackage, prefix);
    }

    @Override
    public int[] evaluation() {
        String log = "src/main/resources/tempFile/log.txt";
        String fresh = "src/main/resources/tempFile/fresh.txt";
        int passed = 0;
        try {
            solution.appendLine(log, "第二行");
            if (Files.readAllLines(Path.of(log), StandardCharsets.UTF_8).equals(List.of("第一行", "第二行"))) {
                passed++;
            }
        } catch (Exception e) {
            // not passed
        }
        try {
            solution.appendLine(fresh, "开始");
            solution.appendLine(fresh, "结束");
            if (Files.readAllLines(Path.of(fresh), StandardCharsets.UTF_8).equals(List.of("开始", "结束"))) {
                passed++;
            }
        } catch (Exception e) {
            // not passed
        }
        return new int[] {passed, 2};
    }
}
