import { openDocsPage } from './view/docs-page.ts';

void openDocsPage(document.body);
