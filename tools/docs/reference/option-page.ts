import { type ParsedFile, parseFile } from '../../lib/parse.ts';
import { type Page, toPage } from '../page.ts';

/** Interfaces whose members somebody writes, and where they are declared. */
const shapes: readonly (readonly [title: string, file: string, name: string])[] = [
  ['createApplication', 'apps/server/src/options/application-options.ts', 'ApplicationOptions'],
  ['limits', 'apps/server/src/options/application-options.ts', 'LimitOptions'],
  ['sessions', 'apps/server/src/options/application-options.ts', 'SessionOptions'],
  ['runs', 'apps/server/src/options/application-options.ts', 'RunOptions'],
  ['hub', 'packages/device-hub/src/hub-options.ts', 'DeviceHubOptions'],
  ['Every route', 'packages/contract/src/route/route.ts', 'RouteOptions'],
  ['apiKey', 'packages/auth/src/api-key/api-key.ts', 'ApiKeyOptions'],
  ['jwt, of a secret', 'packages/auth/src/jwt/jwt.ts', 'JwtOptions'],
  ['jwt, of an issuer', 'packages/auth/src/jwt/jwt.ts', 'IssuerOptions'],
  ['cors', 'packages/http/src/security/cors.ts', 'CorsOptions'],
  ['rateLimit', 'packages/http/src/limits/rate-limit.ts', 'RateLimitOptions'],
  ['securityHeaders', 'packages/http/src/security/security-headers.ts', 'SecurityHeadersOptions'],
  ['query', 'packages/data/src/query/query.ts', 'QueryOptions'],
  ['resource', 'packages/data/src/resource/resource.ts', 'ResourceOptions'],
  [
    'resource, of a table of drizzle, beside the others',
    'packages/data/src/resource/resource.ts',
    'TableResourceOptions',
  ],
  ['memory', 'packages/data/src/memory/memory.ts', 'MemoryOptions'],
  ['page', 'packages/pages/src/page/page.ts', 'PageOptions'],
  ['staticFiles', 'packages/pages/src/files/static-files.ts', 'StaticFilesOptions'],
  ['upstream', 'packages/pages/src/proxy/upstream.ts', 'UpstreamOptions'],
  ['proxy', 'packages/pages/src/proxy/proxy.ts', 'ProxyOptions'],
  ['provider', 'packages/models/src/provider.ts', 'ProviderOptions'],
  ['pricing', 'packages/models/src/pricing.ts', 'PricingOptions'],
  ['agent', 'packages/agents/src/agent/agent.ts', 'AgentOptions'],
  ['behaviour', 'packages/agents/src/behaviour/behaviour.ts', 'BehaviourOptions'],
  ['context', 'packages/agents/src/context/context.ts', 'ContextOptions'],
  ['flow', 'packages/flows/src/flow/flow.ts', 'AnyFlow'],
  ['flow, one step after another', 'packages/flows/src/flow/flow.ts', 'PipelineFlow'],
  ['flow, all steps at once', 'packages/flows/src/flow/flow.ts', 'ParallelFlow'],
  ['flow, a step by its label', 'packages/flows/src/flow/flow.ts', 'RouteFlow'],
  ['camera and sensor', 'packages/device-hub/src/declarations/device-declaration.ts', 'DeviceOptions'],
  ['camera', 'packages/device-hub/src/declarations/device-declaration.ts', 'CameraOptions'],
  ['watch', 'packages/watchers/src/declaration/watch.ts', 'WatchOptions'],
  ['notify', 'packages/outbox/src/notify/notify.ts', 'NotifyOptions'],
];

/** The options of every declaration, with their types and what their docstrings say. */
export function optionPage(root: string): Page {
  const tables = shapes.map(([title, file, name]) => {
    const members = membersOf(parseFile(root, file), name);
    if (members.length === 0) throw new Error(`${file}: ${name} has no members`);
    const rows = members.map(
      ({ name, type, text }) => `| \`${name}\` | \`${escaped(type)}\` | ${escaped(text)} |`,
    );
    return `## ${title}\n\n| option | type | meaning |\n|---|---|---|\n${rows.join('\n')}`;
  });
  const head = `# Options

The options of each call, as their types have them; every one may be left out unless it says otherwise. A name that is none keeps the server from starting ([\`unknown-option\`](rules/unknown-option.md)).`;
  return toPage({
    path: 'reference/options',
    section: 'Reference',
    markdown: [head, ...tables].join('\n\n'),
  });
}

interface Member {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** The members that are written for people: what is passed between packages has no docstring of its own. */
function membersOf(file: ParsedFile, name: string): readonly Member[] {
  for (const statement of file.program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'TSInterfaceDeclaration' || declared.id.name !== name) continue;
    return declared.body.body.flatMap((member) => {
      if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier') return [];
      if (member.key.name === 'declaredAt') return [];
      const type = member.typeAnnotation?.typeAnnotation;
      // What another form of the same options has.
      if (type?.type === 'TSNeverKeyword') return [];
      return [
        {
          name: `${member.key.name}${member.optional ? '' : ' (needed)'}`,
          type: type === undefined ? '' : file.text.slice(type.start, type.end).replaceAll(/\s+/g, ' '),
          text: docOf(file, member.start),
        },
      ];
    });
  }
  return [];
}

/** The docstring that ends where a member begins. */
function docOf({ comments, text }: ParsedFile, start: number): string {
  const comment = comments.find(({ end }) => end <= start && text.slice(end, start).trim() === '');
  return (comment?.value ?? '')
    .replaceAll(/^\s*\*+ ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
