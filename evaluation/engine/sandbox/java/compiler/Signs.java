package assay.compiler;

import java.util.Set;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.Handle;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;

/**
 * What in a class could bring about a pass that it does not deserve: the means to look into other
 * objects and up the stack, and values that decide by themselves what they equal.
 */
final class Signs extends ClassVisitor {
    private static final String[] MEANS = {
        "java/lang/reflect/", "java/lang/StackWalker", "java/lang/ClassLoader", "java/lang/Module",
        "java/lang/instrument/", "java/beans/", "java/lang/invoke/", "java/lang/management/",
        "javax/management/", "java/net/URLClassLoader", "java/security/SecureClassLoader",
        "javax/script/", "sun/", "jdk/", "com/google/gson/internal/",
        "com/fasterxml/jackson/databind/util/ClassUtil",
    };
    private static final Set<String> OF_CLASS = Set.of(
            "forName", "getField", "getFields", "getDeclaredField", "getDeclaredFields",
            "getMethod", "getMethods", "getDeclaredMethod", "getDeclaredMethods",
            "getConstructor", "getConstructors", "getDeclaredConstructor",
            "getDeclaredConstructors", "getClassLoader", "getModule", "getResource",
            "getResourceAsStream", "newInstance");
    private static final Set<String> OF_THREADS = Set.of(
            "getStackTrace", "getAllStackTraces", "enumerate", "getContextClassLoader");
    private static final Set<String> EQUALITY =
            Set.of("equals", "hashCode", "compareTo", "contentEquals");
    private static final String[] VALUES = {
        "java/util/", "java/lang/CharSequence", "java/lang/Number", "java/lang/Comparable",
    };

    private final Set<String> found;
    private boolean value;

    private Signs(Set<String> found) {
        super(Opcodes.ASM8);
        this.found = found;
    }

    static void add(byte[] own, Set<String> found) {
        new ClassReader(own).accept(new Signs(found), ClassReader.SKIP_DEBUG);
    }

    @Override
    public void visit(
            int version, int access, String name, String generic, String of, String[] interfaces) {
        value = isValue(of);
        for (String each : interfaces) {
            value |= isValue(each);
        }
    }

    private static boolean isValue(String type) {
        for (String each : VALUES) {
            if (type.startsWith(each) && !type.startsWith("java/util/function/")
                    && !type.startsWith("java/util/concurrent/")
                    && !type.equals("java/util/Comparator")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public MethodVisitor visitMethod(
            int access, String name, String type, String generic, String[] thrown) {
        boolean own = (access & (Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC)) == 0;
        if (own && !name.equals("<init>") && (value || EQUALITY.contains(name))) {
            found.add("a value that has its own " + name);
        }
        return new MethodVisitor(Opcodes.ASM8) {
            @Override
            public void visitMethodInsn(
                    int code, String owner, String called, String type, boolean isInterface) {
                calls(owner, called);
            }

            @Override
            public void visitInvokeDynamicInsn(
                    String called, String type, Handle maker, Object... arguments) {
                for (Object each : arguments) {
                    if (each instanceof Handle) {
                        calls(((Handle) each).getOwner(), ((Handle) each).getName());
                    }
                }
            }

            @Override
            public void visitLdcInsn(Object constant) {
                if (constant instanceof Type && ((Type) constant).getSort() == Type.OBJECT) {
                    calls(((Type) constant).getInternalName(), "class");
                }
            }
        };
    }

    private void calls(String owner, String called) {
        boolean means = owner.equals("java/lang/Class") && OF_CLASS.contains(called);
        means |= (owner.equals("java/lang/Thread") || owner.equals("java/lang/Throwable"))
                && OF_THREADS.contains(called);
        for (String each : MEANS) {
            means |= owner.startsWith(each);
        }
        if (means) {
            found.add(owner.replace('/', '.') + "." + called);
        }
    }
}
