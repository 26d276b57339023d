import { DeclarationError } from '@waymark/contract';
import { type Finding, toFinding } from '@waymark/contract/declaring';
import type { Application } from '../../application.ts';
import { explainHint } from '../explain/explain-hint.ts';
import { loadApplication } from '../load/load-application.ts';
import { ModuleError, toPlaceText } from '../load/module-error.ts';
import { exitCodes } from '../output/print-failure.ts';
import { command, fileArgument, jsonOption } from './command.ts';

/** `waymark check`: everything wrong or doubtful, all at once, without starting anything. */
export const check = command(
  {
    meta: { name: 'check', description: 'Report wrong declarations and warnings without serving' },
    args: {
      ...fileArgument,
      dev: {
        type: 'boolean',
        description:
          'Without what waymark dev makes up for: keys of the application and of models that are not set',
        default: false,
      },
      strict: { type: 'boolean', description: 'End with 1 when there are warnings', default: false },
      ...jsonOption,
    },
    async run({ args }) {
      const { findings: all, isRead, pending } = await inspect(args.file);
      const findings = args.dev ? all.filter((one) => !isMadeUpFor(one)) : all;
      const errors = findings.filter(({ severity }) => severity === 'error').length;
      const warnings = findings.length - errors;
      if (args.json)
        console.log(JSON.stringify({ findings, ...(pending.length > 0 && { pending }) }, null, 2));
      else {
        const hint = explainHint(findings.map(({ code }) => code));
        const counts = `${count(errors, 'problem')}, ${count(warnings, 'warning')}`;
        const more = hint === undefined ? [] : [`more: ${hint}`];
        console.log([...findings.map(toLine), ...more, ...pendingLine(pending), counts].join('\n'));
      }
      if (!isRead) return exitCodes.failure;
      if (errors > 0) return exitCodes.configuration;
      return args.strict && warnings > 0 ? exitCodes.failure : 0;
    },
  },
  { examples: ['check', 'check --dev', 'check src/application.ts --strict --json'] },
);

/** Whether `waymark dev` puts something in the place of what is missing: a key, or a model. */
function isMadeUpFor({ code, text }: Finding): boolean {
  // The secret of a `jwt` is somebody else's.
  return code === 'variable-unset'
    ? text.startsWith('apiKey ')
    : code === 'agent-key' || code === 'provider-key';
}

interface Inspection {
  readonly findings: readonly Finding[];
  /** Whether its code could be read at all. */
  readonly isRead: boolean;
  /** Migrations that were not applied yet. */
  readonly pending: readonly string[];
}

async function inspect(file: string | undefined): Promise<Inspection> {
  try {
    const application = await loadApplication(file);
    const { findings, pending } = await lookAtDatabase(application);
    return { findings: [...application.findings(), ...findings], isRead: true, pending };
  } catch (error) {
    // Thrown while the file was read: what is below that line nobody knows yet.
    if (error instanceof DeclarationError) return { findings: error.findings, isRead: true, pending: [] };
    if (error instanceof ModuleError) return { findings: [error.finding], isRead: false, pending: [] };
    throw error;
  }
}

/** What a file shows; a server is asked by `waymark migrate --status` alone. */
async function lookAtDatabase(application: Application): Promise<Pick<Inspection, 'findings' | 'pending'>> {
  const upkeep = application.upkeep();
  if (upkeep.database !== undefined && /^(libsql|https?|wss?):/.test(upkeep.database))
    return { findings: [], pending: [] };
  try {
    const { problems = [], pending = [] } = (await upkeep.state()) ?? {};
    // Tables that a migration has yet to change are none to be compared.
    const isCurrent = problems.length === 0 && pending.length === 0;
    const all = isCurrent ? await upkeep.tables() : problems;
    return { findings: all.map(toFinding), pending: pending.map(({ name }) => name) };
  } catch (error) {
    // A database that cannot be read is no matter of its declarations: the start says what is wrong with it.
    if (error instanceof DeclarationError) return { findings: [], pending: [] };
    throw error;
  }
}

function pendingLine(pending: readonly string[]): readonly string[] {
  return pending.length === 0 ? [] : [`not applied yet: ${pending.join(', ')}`];
}

function toLine({ severity, text, fix, at }: Finding): string {
  const place = at === undefined ? '' : `${toPlaceText(at)}  `;
  return `${place}${severity === 'error' ? 'problem' : severity}: ${text}${fix === undefined ? '' : `\n    fix: ${fix}`}`;
}

function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? '' : 's'}`;
}
