package assay.compiler;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;
import jdk.internal.org.objectweb.asm.commons.GeneratorAdapter;
import jdk.internal.org.objectweb.asm.commons.Method;

/**
 * Changes an evaluation so that the method that it tests gets copies of its arguments, and the
 * evaluation a copy of the result (see Copies). Methods that return nothing are called as they are:
 * their effects on their arguments are their result.
 */
record CopiedCalls(String method, int parameters) {
    private static final Type COPIES = Type.getObjectType("assay/harness/copies/Copies");
    private static final Method BEGIN = new Method("begin", "()V");
    private static final String COPYING = "(Ljava/lang/Object;Ljava/lang/Class;)Ljava/lang/Object;";
    private static final Method ARGUMENT = new Method("argument", COPYING);
    private static final Method RESULT = new Method("result", COPYING);

    /** Changes the classes that call the method; none if its name is empty. */
    void change(Map<String, byte[]> classes) {
        if (!method.isEmpty()) {
            classes.replaceAll(this::changed);
        }
    }

    private byte[] changed(String name, byte[] content) {
        ClassReader reader = new ClassReader(content);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Calls(writer, name), 0);
        return writer.toByteArray();
    }

    /** Replaces each call in one class by the call of a static method of the same class. */
    private final class Calls extends ClassVisitor {
        private final String name;
        private final Set<Bridge> bridges = new LinkedHashSet<>();

        Calls(ClassVisitor written, String name) {
            super(Opcodes.ASM8, written);
            this.name = name;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String called, String type, String generic, String[] thrown) {
            return new MethodVisitor(
                    Opcodes.ASM8, super.visitMethod(access, called, type, generic, thrown)) {
                @Override
                public void visitMethodInsn(
                        int code, String owner, String called, String type, boolean isInterface) {
                    if (isTested(code, owner, called, type)) {
                        Bridge bridge = new Bridge(owner, new Method(called, type));
                        bridges.add(bridge);
                        Method made = bridge.made();
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, name, made.getName(),
                                made.getDescriptor(), false);
                    } else {
                        super.visitMethodInsn(code, owner, called, type, isInterface);
                    }
                }
            };
        }

        private boolean isTested(int code, String owner, String called, String type) {
            return code == Opcodes.INVOKEVIRTUAL
                    && called.equals(method)
                    && Type.getArgumentTypes(type).length == parameters
                    && Type.getReturnType(type) != Type.VOID_TYPE
                    && !owner.startsWith("java/")
                    && !owner.startsWith("[")
                    && !owner.equals(name);
        }

        @Override
        public void visitEnd() {
            bridges.forEach(each -> each.write(cv));
            super.visitEnd();
        }
    }

    private record Bridge(String owner, Method called) {
        Method made() {
            String type = called.getDescriptor();
            return new Method("assay$" + called.getName(), "(L" + owner + ";" + type.substring(1));
        }

        void write(ClassVisitor to) {
            int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC;
            GeneratorAdapter code = new GeneratorAdapter(access, made(), null, null, to);
            code.visitCode();
            code.invokeStatic(COPIES, BEGIN);
            code.loadArg(0);
            for (int at = 1; at < made().getArgumentTypes().length; at++) {
                code.loadArg(at);
                copied(code, made().getArgumentTypes()[at], ARGUMENT);
            }
            code.invokeVirtual(Type.getObjectType(owner), called);
            copied(code, called.getReturnType(), RESULT);
            code.returnValue();
            code.endMethod();
        }

        private static void copied(GeneratorAdapter code, Type type, Method copying) {
            if (type.getSort() >= Type.ARRAY) {
                code.push(type);
                code.invokeStatic(COPIES, copying);
                code.checkCast(type);
            }
        }
    }
}
