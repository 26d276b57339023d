// A program: runs one command line after the other, each in its folder, and prints as JSON what each of them said. To load
// the product takes most of the time of a command.
import { run } from '../src/cli/run.ts';

const said: { code: number; out: string; err: string }[] = [];
for (const [folder, ...argv] of JSON.parse(process.argv[2] ?? '[]') as readonly (readonly [string])[]) {
  const one = { code: 0, out: '', err: '' };
  console.log = (text) => {
    one.out += `${text}\n`;
  };
  console.error = (text) => {
    one.err += `${text}\n`;
  };
  process.chdir(folder);
  one.code = await run(argv);
  said.push(one);
}
process.stdout.write(JSON.stringify(said), () => process.exit());
