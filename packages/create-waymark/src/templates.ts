import { CreateError } from './create-error.ts';
import { nearest } from './nearest.ts';

/** What an application begins as. */
export interface Template {
  /** In a few words, for the list. */
  readonly says: string;
  /** The first call of a tool of it. */
  readonly call: string;
  /** Whether it asks models, which the simulator plays until there is a key. */
  readonly asksModels: boolean;
}

/** The templates, the one that is taken without a question first. */
export const templates = {
  minimal: {
    says: 'one route, which is an endpoint and a tool',
    call: 'greet --name Ada --as operator',
    asksModels: false,
  },
  agent: {
    says: 'an agent that asks a human before it refunds',
    call: 'list_orders --as operator',
    asksModels: true,
  },
  camera: {
    says: 'a camera, and an agent that looks at it',
    call: 'yard_insights --as operator',
    asksModels: true,
  },
  data: {
    says: 'a database, its endpoints and tools, and a page',
    call: 'create_notes --text "Water the plants" --as editor',
    asksModels: false,
  },
} as const satisfies Readonly<Record<string, Template>>;

/** The name of a template. */
export type TemplateName = keyof typeof templates;

/** The names of the templates, the one that is taken without a question first. */
export const templateNames: readonly TemplateName[] =
  // What `keyof` says of an object that has no other members.
  Object.keys(templates) as TemplateName[];

/** Finds a template by what somebody typed. @throws {CreateError} there is none of that name; says which there are */
export function toTemplate(given: string): TemplateName {
  const found = templateNames.find((name) => name === given);
  if (found !== undefined) return found;
  const close = nearest(given, templateNames);
  throw new CreateError(
    `unknown template "${given}"${close === undefined ? ';' : `; did you mean "${close}"?`} there are: ${templateNames.join(', ')}`,
  );
}
