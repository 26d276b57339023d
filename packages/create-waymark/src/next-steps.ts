import { type TemplateName, templates } from './templates.ts';

/** What to do with a new application, in three lines to paste. */
export function nextSteps(folder: string, template: TemplateName): readonly string[] {
  return [
    `cd ${quote(folder)} && npm install`,
    'npm run dev',
    `npx waymark call ${templates[template].call}    # in another terminal, in that folder`,
  ];
}

function quote(folder: string): string {
  return /^[\w./@-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
}
