// A program: runs a command in one folder after another, and prints as JSON what it said in each. To load the product takes
// most of the time of a command.
import { run } from '../src/cli/run.ts';

const [folders = '[]', ...argv] = process.argv.slice(2);
const said: { code: number; out: string; err: string }[] = [];
for (const folder of JSON.parse(folders) as readonly string[]) {
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
