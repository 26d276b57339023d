import { unkeptNumber } from '@waymark/contract/text';
import { parseCallLine } from '../call/call-line.ts';
import { findKey } from '../call/find-key.ts';
import { callOverHttp } from '../call/http-call.ts';
import { callOverMcp, type Outcome, type ToolUse } from '../call/mcp-call.ts';
import { openTarget, type Target } from '../call/target.ts';
import { refuseUnkept, toArguments } from '../call/tool-arguments.ts';
import { loadEnvironment } from '../load/load-application.ts';
import { exitCodes } from '../output/print-failure.ts';
import { toScreenText } from '../output/to-screen-text.ts';
import { UsageError, unknownName } from '../output/usage-error.ts';
import { command, jsonOption } from './command.ts';

/** `waymark call`: uses a tool of a running server, or of a file, as some key, over MCP or HTTP. */
export const call = command(
  {
    meta: {
      name: 'call',
      description: 'Call a tool; options that are none of these are its arguments: --id 7 --urgent',
    },
    args: {
      tool: { type: 'positional', description: 'Name of the tool' },
      as: {
        type: 'string',
        description: 'Whose key: reader is in READER_KEY, of the environment or .waymark/dev.env; or the key',
        valueHint: 'reader',
      },
      url: { type: 'string', description: 'Server to ask', valueHint: 'http://127.0.0.1:8000' },
      file: {
        type: 'string',
        description: 'Application that has the tool; started for this call unless --url is given',
        valueHint: 'application.ts',
      },
      'control-prefix': { type: 'string', description: 'Of the server', valueHint: '/_svc' },
      mcp: { type: 'boolean', description: 'Over MCP, as it is by itself', default: false },
      http: { type: 'boolean', description: 'Over HTTP, by the OpenAPI document', default: false },
      json: {
        ...jsonOption.json,
        description: 'Print the outcome as JSON; {…} after it is taken for arguments',
      },
    },
  },
  {
    examples: [
      'call get_ticket --id 4 --as reader',
      `call create_ticket --json '{"title":"Coffee"}' --as operator --url https://desk.example.com`,
      'call get_ticket --id 4 --http --file application.ts',
    ],
    runLine: callTool,
  },
);

async function callTool(words: readonly string[]): Promise<number> {
  const line = parseCallLine(words);
  loadEnvironment(line.file);
  const target = await openTarget({
    file: line.file,
    url: line.url,
    controlPrefix: line['control-prefix'] ?? '/_svc',
    headers: findKey(line.as, line.file),
  });
  try {
    const { inputSchema } = await findTool(target, line.tool);
    const use: ToolUse = {
      tool: line.tool,
      values: { ...parseGiven(line.given), ...toArguments(line.words, inputSchema) },
    };
    return print(await (line.http ? callOverHttp : callOverMcp)(target, use), line.json);
  } finally {
    await target.close();
  }
}

async function findTool(target: Target, name: string): Promise<{ readonly inputSchema: object }> {
  const { tools } = (await target.describe('/tools')) as {
    readonly tools: readonly { readonly name: string; readonly inputSchema: object }[];
  };
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  throw unknownName(
    'tool',
    name,
    tools.map((one) => one.name),
    'this key may not see it',
  );
}

function parseGiven(text = '{}'): object {
  let value: object;
  try {
    value = JSON.parse(text) as object;
  } catch (error) {
    throw new UsageError(`what follows --json is not JSON: ${(error as Error).message}`);
  }
  refuseUnkept('what follows --json', text);
  return value;
}

function print(outcome: Outcome, asJson: boolean): number {
  // A program is given what was answered as it is; a terminal what can be seen of it.
  const say = process.stdout.isTTY ? (text: string) => console.log(toScreenText(text)) : console.log;
  if (asJson) say(toOutcomeJson(outcome));
  else if (!outcome.ok) console.error(toScreenText(outcome.message));
  else say(typeof outcome.value === 'string' ? outcome.value : toPretty(outcome));
  return outcome.ok ? 0 : exitCodes.failure;
}

function toOutcomeJson(outcome: Outcome): string {
  if (!outcome.ok) return JSON.stringify(outcome, null, 2);
  const { ok, value, text } = outcome;
  return isOnlyText(value, text)
    ? `{\n  "ok": true,\n  "value": ${text}\n}`
    : JSON.stringify({ ok, value }, null, 2);
}

function toPretty({ value, text }: Extract<Outcome, { ok: true }>): string {
  return isOnlyText(value, text) ? text : JSON.stringify(value, null, 2);
}

/** Whether JSON is printed as it came: our own would have another number, or be deeper than it can be written. */
function isOnlyText(value: unknown, text: string | undefined): text is string {
  return text !== undefined && (isDeeper(value, maxIndented) || unkeptNumber(text, 'any') !== undefined);
}

/** What is deeper is no easier to read: its lines would begin with more space than they have words. */
const maxIndented = 200;

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}
