export { askForTemplate } from './ask-for-template.ts';
export { create } from './create.ts';
export { CreateError } from './create-error.ts';
export { initialiseGit } from './initialise-git.ts';
export { nextSteps } from './next-steps.ts';
export { type TemplateName, templateNames, toTemplate } from './templates.ts';
export { type WriteOptions, writeApplication } from './write-application.ts';
