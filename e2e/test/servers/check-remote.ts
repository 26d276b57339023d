import { startProgram } from '../program.ts';

/**
 * Runs the checks of a database behind a server: what failed, with all that the program said beside its lines, and how many did not.
 *
 * @param steps of the large run: more than are read at once
 */
export async function checkRemote(
  url: string,
  steps = 300,
): Promise<{ readonly failed: readonly string[]; readonly passed: number }> {
  const program = startProgram('packages/data/test/processes/remote-checks.ts', {
    cwd: process.cwd(),
    argv: [url, 'http://127.0.0.1:1', String(steps)],
    // It reaches into the package.
    nodeOptions: ['--conditions=@waymark/source'],
  });
  const code = await program.ended();
  const lines = program.stdout().trim().split('\n');
  const passed = lines.filter((line) => line.startsWith('ok ')).length;
  const said = program.stderr().trim();
  return {
    passed,
    failed: [
      ...lines.filter((line) => !line.startsWith('ok ')),
      ...(said === '' ? [] : [said]),
      ...(code === 0 ? [] : [`it ended with ${code}`]),
    ],
  };
}
