import { catalogue, counted } from '../../lib/language.ts';

interface Place {
  readonly line: number;
  readonly text: string;
}

/** What the settings say. */
export const settingsWords = catalogue({
  en: {
    tabs: { setup: 'Set-up', text: 'Config as text', versions: 'Former versions', state: 'State' },
    parts: 'Parts of the settings',
    noFile:
      'This Keyturn runs without a file for its settings: the program that starts it gives them. What is in force can be looked at, not changed.',
    fileOf: ({ file }: { readonly file: string }) => `The file is ${file}.`,
    notInForce: 'The file as it is now is not in force. Keyturn goes on with the last one that worked.',
    notSet: 'not set',

    text: {
      label: 'The config, JSON with comments',
      hint: 'Tab indents. Press Escape, then Tab, to leave the editor. Ctrl+Space completes, Ctrl+F searches.',
      secrets:
        'Secrets are not sent to the browser: “left out of this copy …” stands for one, and stays what it is when you save. Write a new secret below, not into the text.',
      unshown:
        'The file is no JSON as it is, so nobody can say what in it is secret, and it is not shown. Mend it on the machine, or go back to a former version.',
      checking: 'Checking…',
      usable: 'It can be used.',
      unchanged: 'Nothing has been changed.',
      faults: ({ count }: { readonly count: number }) => counted(count, 'fault'),
      atLine: ({ line, text }: Place) => `Line ${line}: ${text}`,
      warnings: 'Allowed, but probably not meant',
      review: 'Look at the changes',
      discard: 'Discard my changes',
      loadFailed: 'The editor could not be loaded. Load the page again.',
      differsNow: 'The file was changed by somebody else while you were writing.',
      mine: 'Lay my text over it',
      theirs: 'Take the file as it is',
    },
    phrases: {},

    review: {
      title: 'What changes',
      text: 'In the text',
      nothing: 'Nothing differs.',
      onlyForm: 'Only layout and comments differ.',
      save: 'Save',
      saving: 'Keyturn takes it over…',
      back: 'Back, without saving',
      done: 'Back to the settings',
      late: 'at the next start',
      asks: 'Which calls would ask',
      fates: { runs: 'runs', asks: 'asks', 'is refused': 'is refused', 'is off': 'is off' },
      call: 'Call',
      fate: 'At first',
      afterWeb: 'After reading a web page and a file',
      key: 'Key',
      before: 'Before',
      after: 'After',
      kept: ({ file }: { readonly file: string }) => `The text that stood there is ${file}.`,
      faulty: 'So it cannot be used, and nothing was written:',
      conflict: 'The file was changed by somebody else meanwhile. Nothing was written.',
      again: 'Look at the changes again',
    },
    outcome: {
      'in-force': 'Saved. It is in force.',
      'needs-hang-up':
        'Saved. The file lies in a workspace, so it is read only when a person says so: kill -HUP on the machine.',
      'not-yet': 'Saved. Keyturn has not taken it over yet: the log says why.',
      but: ({ keys }: { readonly keys: readonly string[] }) =>
        `Saved. It is in force, but ${keys.join(', ')} at the next start of Keyturn.`,
      refused: ({ fault }: { readonly fault: string }) =>
        `Saved, but Keyturn has not taken it over, and goes on with the former one. ${fault}`,
    },

    versions: {
      hint: 'Each config that Keyturn has run is kept, without secrets: the newest ten. Going back keeps your comments, and can be undone in the same way.',
      none: 'No version is kept yet.',
      same: 'as the file is now',
      differs: ({ keys, more }: { readonly keys: readonly string[]; readonly more: number }) =>
        more === 0 ? keys.join(', ') : `${keys.join(', ')} and ${more} more`,
      unknown: 'the file is no JSON',
      look: 'Compare',
      title: ({ when }: { readonly when: string }) => `The version of ${when}`,
      restore: 'Go back to this one',
      lacking: ({ keys }: { readonly keys: readonly string[] }) =>
        `It lacks ${keys.join(', ')}: versions keep no secrets, and the file has others by now.`,
      columns: { kept: 'Kept', differs: 'Differs from the file in', actions: '' },
      list: 'Former versions',
    },

    secret: {
      title: 'Keep a secret',
      hint: ({ reference }: { readonly reference: string }) =>
        `It goes into .env beside the config, and is never shown again. In the config, write "${reference}".`,
      name: 'Name',
      value: 'Value',
      keep: 'Keep it',
      kept: ({ name, reference }: { readonly name: string; readonly reference: string }) =>
        `${name} is kept. Write "${reference}" where the config needs it.`,
      taken: ({ name }: { readonly name: string }) => `${name} is there already, with another value.`,
      replace: 'Replace it',
    },
  },
  zh: {
    tabs: { setup: '基本设置', text: '配置文本', versions: '以前的版本', state: '状态' },
    parts: '设置的各部分',
    noFile: '这个 Keyturn 没有设置文件：设置由启动它的程序给出。可以查看生效的设置，但不能修改。',
    fileOf: ({ file }) => `文件是 ${file}。`,
    notInForce: '现在的文件没有生效。Keyturn 继续使用上一份可用的配置。',
    notSet: '未设置',

    text: {
      label: '配置，带注释的 JSON',
      hint: 'Tab 缩进。按 Escape 再按 Tab 离开编辑器。Ctrl+Space 补全，Ctrl+F 搜索。',
      secrets:
        '密钥不会发送到浏览器：“left out of this copy …”代表一个密钥，保存时保持不变。新的密钥请写在下面，不要写进文本。',
      unshown: '现在的文件不是 JSON，无法判断其中哪些是密钥，所以不显示。请在那台机器上修改，或者恢复以前的版本。',
      checking: '正在检查…',
      usable: '可以使用。',
      unchanged: '没有改动。',
      faults: ({ count }) => `${count} 处错误`,
      atLine: ({ line, text }) => `第 ${line} 行：${text}`,
      warnings: '可以使用，但请确认是否真要这样',
      review: '查看改动',
      discard: '放弃我的改动',
      loadFailed: '无法加载编辑器。请重新加载页面。',
      differsNow: '你编辑的时候，别人改动了文件。',
      mine: '用我的文本覆盖',
      theirs: '使用现在的文件',
    },
    phrases: {
      Find: '查找',
      Replace: '替换',
      next: '下一个',
      previous: '上一个',
      all: '全部',
      'match case': '区分大小写',
      regexp: '正则表达式',
      'by word': '整词',
      replace: '替换',
      'replace all': '全部替换',
      close: '关闭',
      'current match': '当前匹配',
      'Go to line': '转到行',
      go: '转到',
      Diagnostics: '错误',
      'No diagnostics': '没有错误',
      Completions: '补全',
      'Control character': '控制字符',
      'replaced $ matches': '替换了 $ 处',
      'replaced match on line $': '替换了第 $ 行的匹配',
      'on line': '在行',
    },

    review: {
      title: '改动的内容',
      text: '文本中的改动',
      nothing: '没有不同。',
      onlyForm: '只有格式和注释不同。',
      save: '保存',
      saving: 'Keyturn 正在采用…',
      back: '返回，不保存',
      done: '返回设置',
      late: '下次启动时',
      asks: '哪些调用会询问',
      fates: { runs: '直接运行', asks: '先询问', 'is refused': '被规则禁止', 'is off': '已关闭' },
      call: '调用',
      fate: '读网页和文件之前',
      afterWeb: '读过网页和文件之后',
      key: '设置',
      before: '之前',
      after: '之后',
      kept: ({ file }) => `原来的内容在 ${file}。`,
      faulty: '这样无法使用，没有写入：',
      conflict: '其间有别人改动了文件。没有写入。',
      again: '重新查看改动',
    },
    outcome: {
      'in-force': '已保存，已经生效。',
      'needs-hang-up': '已保存。文件在工作区里，只有你要求时才会读取：在那台机器上执行 kill -HUP。',
      'not-yet': '已保存。Keyturn 还没有采用它，日志里有原因。',
      but: ({ keys }) => `已保存，已经生效，但 ${keys.join('、')} 要等 Keyturn 下次启动。`,
      refused: ({ fault }) => `已保存，但 Keyturn 没有采用，继续使用以前的配置。${fault}`,
    },

    versions: {
      hint: 'Keyturn 运行过的每份配置都会保存（不含密钥），最新的十份。恢复时保留你的注释，也可以用同样的方法撤销。',
      none: '还没有保存任何版本。',
      same: '与现在的文件相同',
      differs: ({ keys, more }) => (more === 0 ? keys.join('、') : `${keys.join('、')}，另有 ${more} 处`),
      unknown: '文件不是 JSON',
      look: '比较',
      title: ({ when }) => `${when} 的版本`,
      restore: '恢复这个版本',
      lacking: ({ keys }) => `缺少 ${keys.join('、')}：版本不保存密钥，而文件里的密钥已经换了。`,
      columns: { kept: '保存时间', differs: '与文件不同之处', actions: '' },
      list: '以前的版本',
    },

    secret: {
      title: '保存密钥',
      hint: ({ reference }) => `它写入配置旁边的 .env，以后不再显示。在配置中写 "${reference}"。`,
      name: '名称',
      value: '值',
      keep: '保存',
      kept: ({ name, reference }) => `已保存 ${name}。在配置需要的地方写 "${reference}"。`,
      taken: ({ name }) => `已经有 ${name}，值不同。`,
      replace: '替换',
    },
  },
});
