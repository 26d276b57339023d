import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/**
 * Compiles a program beside the source of a client (`./client.ts`), as strictly as this repository, and hands over what
 * the program exports.
 *
 * @throws {Error} what the compiler said
 */
export async function withCompiledClient<P, R>(
  source: string,
  program: string,
  use: (program: P) => Promise<R>,
): Promise<R> {
  const folder = mkdtempSync(join(root, 'e2e', '.compiled-client-'));
  try {
    const tsconfig = {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: { lib: ['es2023', 'dom', 'dom.iterable'] },
      include: ['*.ts'],
    };
    writeFileSync(join(folder, 'client.ts'), source);
    writeFileSync(join(folder, 'program.ts'), program);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    compile(folder);
    return await use((await import(join(folder, 'program.ts'))) as P);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compile(folder: string): void {
  try {
    execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder], { encoding: 'utf8' });
  } catch (cause) {
    throw new Error((cause as { readonly stdout?: string }).stdout ?? 'the compiler did not run', { cause });
  }
}
