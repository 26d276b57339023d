/** What is declared, as reports and codes of rules name it. */
export type Kind = 'agent' | 'behaviour';
