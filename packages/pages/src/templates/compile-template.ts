import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import type Handlebars from 'handlebars';
import { guards } from './guard-output.ts';
import { toSafeImage, toSafeImagePart, toSafeJson, toSafeStyle, toSafeUrl } from './safe-values.ts';
import { type Specification, shareWithBlocks } from './share-with-blocks.ts';

const load = createRequire(import.meta.url);

/** A template at work: from what it sees to HTML. */
export type Render = (context: object) => string;

/** The helpers a compiled template may call: what templates can write, and what is put in for them. */
const knownHelpers = {
  ...{ if: true, unless: true, each: true, with: true, lookup: true },
  ...{ helperMissing: false, blockHelperMissing: false, log: false },
  ...Object.fromEntries(Object.values(guards).map((name) => [name, true])),
};

/** Templates of one directory: they know each other as partials, and share nothing with those of another. */
export interface Compiler {
  compile(tree: hbs.AST.Program, path: string): Render;
  partial(name: string, tree: hbs.AST.Program, path: string): void;
}

/** Makes a compiler. Everything is compiled when it is given, not when it is first shown. */
export function createCompiler(): Compiler {
  // With the first templates: a server without pages does not load it.
  const handlebars = (load('handlebars') as typeof import('handlebars')).create();
  handlebars.unregisterHelper('log');
  handlebars.registerHelper(guards.url, toSafeUrl);
  handlebars.registerHelper(guards.image, toSafeImage);
  handlebars.registerHelper(guards.imagePart, toSafeImagePart);
  handlebars.registerHelper(guards.style, toSafeStyle);
  handlebars.registerHelper(guards.json, toSafeJson);
  const toTemplate = (tree: hbs.AST.Program, path: string): Handlebars.TemplateDelegate<object> => {
    // The types speak of an object; it is the text of one (README of handlebars, "Precompiling Templates").
    const text = handlebars.precompile(tree, {
      knownHelpers,
      knownHelpersOnly: true,
      // White space before a partial would be put into the lines of its <textarea> and <pre>.
      preventIndent: true,
    }) as unknown as string;
    const specification = new Script(`(${text})`, {
      filename: path,
    }).runInThisContext() as Specification;
    return handlebars.template(shareWithBlocks(specification));
  };
  return {
    partial: (name, tree, path) => handlebars.registerPartial(name, toTemplate(tree, path)),
    compile(tree, path) {
      const template = toTemplate(tree, path);
      return (context) => template(context, ownMembersOnly);
    },
  };
}

/** What is not the data's own is not there, and nobody is told on the console. */
const ownMembersOnly: Handlebars.RuntimeOptions = {
  allowProtoPropertiesByDefault: false,
  allowProtoMethodsByDefault: false,
};
