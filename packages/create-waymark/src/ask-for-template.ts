import { createInterface } from 'node:readline';
import { CreateError } from './create-error.ts';
import { type TemplateName, templateNames, templates, toTemplate } from './templates.ts';

/** Whoever is asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Asks which template it shall be, by number or name; the first where nobody sits at a terminal.
 *
 * @throws {CreateError} the question was left without an answer
 */
export async function askForTemplate({ input, output }: Terminal): Promise<TemplateName> {
  const [first = 'minimal'] = templateNames;
  if (!input.isTTY || !output.isTTY) return first;
  const width = Math.max(...templateNames.map((name) => name.length));
  const rows = templateNames.map((name, i) => `  ${i + 1}  ${name.padEnd(width)}  ${templates[name].says}\n`);
  output.write(`What shall it be?\n${rows.join('')}`);
  const lines = createInterface({ input, output, prompt: `a number or a name (${first}): ` });
  try {
    lines.prompt();
    for await (const line of lines) {
      const answer = read(line.trim(), first);
      if (!(answer instanceof CreateError)) return answer;
      output.write(`${answer.message}\n`);
      lines.prompt();
    }
  } finally {
    lines.close();
  }
  // Ctrl-C or Ctrl-D, which leave the line as it is.
  output.write('\n');
  throw new CreateError('nothing was written', { exitCode: 1 });
}

function read(said: string, first: TemplateName): TemplateName | CreateError {
  const found = said === '' ? first : templateNames[Number(said) - 1];
  if (found) return found;
  try {
    return toTemplate(said);
  } catch (error) {
    if (error instanceof CreateError) return error;
    throw error;
  }
}
