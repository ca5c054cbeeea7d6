package warm;

import java.io.*;
import java.math.*;
import java.net.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.text.*;
import java.util.*;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;

public class Own0 extends Base {
    @Override
    public String joined(List<String> words, Map<String, Integer> counts) throws Exception {
        File file = File.createTempFile("warm", ".txt");
        try (BufferedWriter out = new BufferedWriter(new FileWriter(file))) {
            out.write(String.join(" ", words) + "\n");
        }
        StringBuilder read = new StringBuilder();
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8))) {
            for (String line; (line = in.readLine()) != null; ) {
                read.append(line);
            }
        }
        Files.readAllLines(file.toPath());
        file.delete();
        String day = new SimpleDateFormat("yyyy-MM-dd HH:mm:ss").format(new Date());
        Matcher digits = Pattern.compile("\\d+").matcher(day);
        BigDecimal sum = BigDecimal.ZERO;
        while (digits.find()) {
            sum = sum.add(new BigDecimal(digits.group()));
        }
        System.out.println(String.format("%s %.2f %d", day, sum.doubleValue(), words.size()));
        Function<String, String> with = word -> word + "=" + counts.getOrDefault(word, 0);
        return Stream.of(read.toString().split(" "))
                .sorted(Comparator.naturalOrder()).map(with).collect(Collectors.joining(","));
    }
}
