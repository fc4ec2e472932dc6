import { catalogue } from '../../../lib/words.ts';

/** Why a value cannot stand where a placeholder is. */
export type PlaceholderFault =
  | { readonly why: 'escaped' | 'no-data' | 'program' }
  /** What the program runs would hold the value. */
  | { readonly why: 'code'; readonly program: string; readonly instead: CodeAdvice };

/** What to do instead of putting a value into code. */
export type CodeAdvice = 'shell' | 'awk' | 'jq' | 'psql' | 'printf' | 'variable' | 'script';

/** Why a command cannot take values. */
export type TemplateFault =
  | { readonly type: 'too-many'; readonly most: number }
  | { readonly type: 'private-character' }
  | { readonly type: 'undeclared'; readonly name: string }
  /** `doubt`: what a shell could read in another way. */
  | { readonly type: 'doubtful'; readonly doubt: string }
  | { readonly type: 'placeholder'; readonly name: string; readonly fault: PlaceholderFault };

/** What an operator is told of a command that cannot be used. */
export const templateWords = catalogue({
  en: { fault: (fault: TemplateFault) => englishFault(fault) },
  zh: { fault: (fault) => chineseFault(fault) },
});

function englishFault(fault: TemplateFault): string {
  switch (fault.type) {
    case 'too-many':
      return `There are more than ${fault.most} placeholders.`;
    case 'private-character':
      return 'It has a character of a private area of Unicode. Take it out.';
    case 'undeclared':
      return `{{${fault.name}}} is none of the parameters. Declare it there; or if the program itself is to read {{${fault.name}}}, set a variable to that in "env", and write "$NAME".`;
    case 'doubtful':
      return `As it takes values, there must be no doubt about how a shell reads it, but it has ${fault.doubt}.`;
    case 'placeholder':
      return `{{${fault.name}}} ${englishReason(fault.fault, `{{${fault.name}}}`)}`;
  }
}

function englishReason(fault: PlaceholderFault, x: string): string {
  switch (fault.why) {
    case 'escaped':
      return 'has a backslash or a "$" before it. Leave that out: a value needs none.';
    case 'no-data':
      return `is where a value would be more than data, or nothing. Write it as an argument or a part of one, as the file of a redirection, or as the value of a variable, x=${x}. It cannot be a name or a list, or stand in arithmetic, [[ ]], backticks, patterns, comments, here-documents, or the braces of a variable.`;
    case 'program':
      return 'is where a program is named: a value must not choose what runs. Name the program in the command.';
    case 'code':
      return `could become a part of what ${fault.program} runs: a value there would be code. ${englishAdvice(fault.instead, x)}`;
  }
}

function englishAdvice(advice: CodeAdvice, x: string): string {
  switch (advice) {
    case 'shell':
      return `Pass it behind the code: sh -c 'echo "$1"' sh ${x}. What ssh runs can read it as input.`;
    case 'awk':
      return `Pass it as a variable: awk -v x=${x} '{ print x }'.`;
    case 'jq':
      return `Pass it as a variable: jq --arg x ${x} '.[$x]'.`;
    case 'psql':
      return `Pass it as a variable, psql -v x=${x} -f query.sql, and write :'x' in the file.`;
    case 'printf':
      return `Pass it behind the format: printf '%s\\n' ${x}.`;
    case 'variable':
      return `Set a variable as x=${x}, and use that.`;
    case 'script':
      return `Put the code into a script file that reads its arguments, and run that: python3 script.py ${x}.`;
  }
}

function chineseFault(fault: TemplateFault): string {
  switch (fault.type) {
    case 'too-many':
      return `占位符超过 ${fault.most} 个。`;
    case 'private-character':
      return '含有 Unicode 私用区的字符。去掉它。';
    case 'undeclared':
      return `{{${fault.name}}} 不在参数中。在参数中声明它；如果要由程序自己读取 {{${fault.name}}}，就在 "env" 中把一个变量设为它，并写 "$NAME"。`;
    case 'doubtful':
      return `命令要接收值，shell 怎样读它就不能有疑问，但其中有：${fault.doubt}。`;
    case 'placeholder':
      return `{{${fault.name}}} ${chineseReason(fault.fault, `{{${fault.name}}}`)}`;
  }
}

function chineseReason(fault: PlaceholderFault, x: string): string {
  switch (fault.why) {
    case 'escaped':
      return '前面有反斜杠或 "$"。去掉它：值不需要转义。';
    case 'no-data':
      return `所在的位置，值会不只是数据，或者没有作用。把它写成一个参数或参数的一部分、重定向的文件，或变量的值（x=${x}）。它不能是名称或列表，也不能放在算术、[[ ]]、反引号、模式、注释、here-document 或变量的花括号中。`;
    case 'program':
      return '所在的位置是程序名：不能由值决定运行什么。把程序写在命令中。';
    case 'code':
      return `可能成为 ${fault.program} 运行的内容的一部分：值在那里会是代码。${chineseAdvice(fault.instead, x)}`;
  }
}

function chineseAdvice(advice: CodeAdvice, x: string): string {
  switch (advice) {
    case 'shell':
      return `放在代码后面传入：sh -c 'echo "$1"' sh ${x}。ssh 运行的内容可以从输入读取它。`;
    case 'awk':
      return `作为变量传入：awk -v x=${x} '{ print x }'。`;
    case 'jq':
      return `作为变量传入：jq --arg x ${x} '.[$x]'。`;
    case 'psql':
      return `作为变量传入：psql -v x=${x} -f query.sql，并在文件中写 :'x'。`;
    case 'printf':
      return `放在格式后面传入：printf '%s\\n' ${x}。`;
    case 'variable':
      return `设置变量 x=${x}，再使用它。`;
    case 'script':
      return `把代码写进读取参数的脚本文件，再运行它：python3 script.py ${x}。`;
  }
}
