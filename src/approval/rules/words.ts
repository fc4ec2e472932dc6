import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { textWidth } from '../../lib/text-width.ts';
import { catalogue } from '../../lib/words.ts';
import type { RuleScope } from './rule.ts';

/** A rule that a person allows, or could. */
export interface NamedRule {
  readonly toolName: string;
  readonly scope: RuleScope;
}

/** What rules cover, for people. */
export const ruleWords = catalogue({
  en: {
    /** After "Always allow:". */
    rule: (rule: NamedRule) => englishRule(rule),
    /** Leads to a question that says all of it. */
    buttonRule: ({ scope }: NamedRule) => label('Always: ', scope),
  },
  zh: {
    rule: (rule) => chineseRule(rule),
    buttonRule: ({ scope }) => label('始终允许：', scope),
  },
});

function englishRule({ toolName, scope }: NamedRule): string {
  const verb = toolName === 'edit_file' ? 'change' : 'write';
  switch (scope.of) {
    case 'file':
      return `${verb} ${code(scope.path)}`;
    case 'folder': {
      const files = scope.ending === '' ? 'files without an ending' : `${code(scope.ending)} files`;
      return `${verb} ${files} in ${code(`${scope.folder}/`)}${scope.isDeep ? ' and the folders in it' : ''}`;
    }
    case 'command':
      return `run ${code(scope.command)}`;
    case 'host':
      return `read from ${code(scope.host)} with ${code(toolName)}`;
  }
}

function chineseRule({ toolName, scope }: NamedRule): string {
  const verb = toolName === 'edit_file' ? '修改' : '写入';
  switch (scope.of) {
    case 'file':
      return `${verb} ${code(scope.path)}`;
    case 'folder': {
      const files = scope.ending === '' ? '没有扩展名的文件' : `${code(scope.ending)} 文件`;
      const where = `${code(`${scope.folder}/`)} ${scope.isDeep ? '及其子文件夹中' : '中'}`;
      return `${verb} ${where}的${scope.ending === '' ? '' : ' '}${files}`;
    }
    case 'command':
      return `运行 ${code(scope.command)}`;
    case 'host':
      return `用 ${code(toolName)} 读取 ${code(scope.host)}`;
  }
}

function code(text: string): string {
  return inlineCode(oneLine(text, 200));
}

function label(begin: string, scope: RuleScope): string {
  const name = nameOf(scope);
  for (let length = mostCells; length > 1; length -= 1) {
    const text = `${begin}${oneLine(name, length)}`;
    if (textWidth(text) <= mostCells) return text;
  }
  return `${begin}…`;
}

/** What a button holds on a phone, in cells of a terminal. */
const mostCells = 30;

function nameOf(scope: RuleScope): string {
  switch (scope.of) {
    case 'file':
      return scope.path;
    case 'folder':
      return `${scope.folder}/${scope.isDeep ? '…/' : ''}*${scope.ending}`;
    case 'command':
      return scope.command;
    case 'host':
      // The usual encrypted one goes without saying.
      return scope.host.replace('https://', '');
  }
}
