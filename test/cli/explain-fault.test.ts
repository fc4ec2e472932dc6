import { expect, test } from 'vitest';
import { explainFault } from '../../src/cli/explain-fault.ts';
import { cliWords } from '../../src/cli/words.ts';
import { languages } from '../../src/lib/words.ts';

test.each(languages)('a fault of our own is told in %s of the command that ran, else of the start', (language) => {
  const say = cliWords[language];
  const ofCommand = explainFault(new TypeError('odd'), {}, language, undefined, 'audit verify');
  expect(ofCommand.text).toContain(say.ownFaultOf({ command: 'audit verify' }));
  expect(ofCommand.text).not.toContain(say.ownFault);
  expect(explainFault(new TypeError('odd'), {}, language).text).toContain(say.ownFault);
});
