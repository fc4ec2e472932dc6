import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandFacts } from '../../src/tools/command-facts.ts';
import { commandRules } from '../../src/tools/guard/command/command-rules.ts';
import { plainShell } from '../../src/tools/guard/process/command-shell.ts';
import { workspaces } from '../../src/tools/guard/workspace/workspace.ts';
import { newFolder } from '../support/new-folder.ts';

const files: Readonly<Record<string, string>> = {
  'x.sh': 'echo FIRST > ran',
  'a b.sh': 'date\n# nothing else\n',
  'tools/y.sh': '#!/usr/bin/env bash\nset -e\nfor f in *.txt; do wc -l "$f"; done > lines',
  run: '#!/bin/sh\nls -la\n',
  'other-script': 'sh x.sh\n',
  'own-program': 'x=1\n./x.sh\n',
  'loads.sh': '. ./x.sh\n',
  'args.sh': '"$1" x\n',
  'python.sh': 'python3 a.py\n',
  'git.sh': 'git status\n',
  'copies.sh': 'cp list x.sh\n',
  'grows.sh': 'cat list >> grows.sh\n',
  'named-later.sh': 'cat list > "$(cat list)"\n',
  'function.sh': 'ls() { ./x; }\nls\n',
  'path.sh': 'PATH=.:$PATH\ntool\n',
  'long.sh': `echo x\n${'# a comment\n'.repeat(4_000)}`,
  'py-run': '#!/usr/bin/env python3\nimport b\n',
  'env-run': '#!/usr/bin/env -S node --require=./b.js\n',
  'own-run': '#!./x.sh\n',
  binary: '\0ELF',
  list: 'x.sh\n',
  'a.py': 'import b',
  'b.py': '',
  'mod/__main__.py': '',
  'a.js': "require('./b')",
  'b.js': '',
  'a.pl': 'use b;',
  'a.rb': "require_relative 'b'",
  'package.json': '{"scripts":{"test":"x"}}',
  Makefile: 'all:\n\ttrue\n',
  Dockerfile: 'FROM scratch',
  '.env': 'X=1',
  'own.txt': 'mine',
};

const facts = commandFacts((command: string) => command, commandRules({ deny: [], allow: [] }), {
  workspaceAt: workspaces(),
  commandShell: () => plainShell,
});

/** A workspace with these files, and what an approval of a command in it binds. */
async function setting() {
  const workspace = await newFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, name)), { recursive: true });
    await writeFile(join(workspace, name), text, { mode: 0o755 });
  }
  return async (command: string) => {
    const { files: found, areAll } = await facts.binds(command, { workspace });
    return { areAll, names: found.map(({ path }) => path) };
  };
}

const rows = (text: string): readonly string[] => text.trim().split(/\s*\n\s*/);

/** Each runs something that its text does not name, or whose content is not bound. */
const unknown = rows(String.raw`
  sh x*.sh
  sh ?.sh
  ./x*
  sh {x,y}.sh
  sh *
  xargs sh < list
  cat list | xargs sh
  xargs -n1 sh -c 'sh "$1"' _ < list
  find . -name "*.sh" -exec sh {} \;
  find . -name "*.sh" -exec {} \;
  fd -x sh
  PATH=.:$PATH tool
  PATH=. ls
  export PATH=.; ls
  env PATH=. ls
  BASH_ENV=x.sh bash -c true
  ENV=x.sh sh -c true
  env BASH_ENV=x.sh bash run
  LD_PRELOAD=./b.so ls
  LD_LIBRARY_PATH=. ls
  NODE_OPTIONS=--require=./b.js node --version
  PYTHONPATH=. python3 a.py
  PERL5OPT=-Mb perl a.pl
  RUBYOPT=-rb ruby a.rb
  GIT_SSH_COMMAND=./x.sh git fetch
  PAGER=./x.sh man ls
  EDITOR=./x.sh crontab -e
  MY_TOOL_HOME=. ls
  python3 a.py
  python3 ./a.py
  python3.11 a.py
  python3 -u a.py
  python3 -m mod
  python3 -m unittest discover
  python3 -m venv v
  python3 mod
  python3 .
  python3 -c "import b"
  python3 -c "print(1)"
  python3 -
  python3 < a.py
  pypy a.py
  node a.js
  node ./a.js
  node a
  node .
  node -r ./b.js a.js
  node --import ./b.js a.js
  node -e "require('./b')"
  node --test
  deno run a.js
  bun a.js
  tsx a.js
  ts-node a.js
  perl a.pl
  perl -I. a.pl
  perl -Mb -e 1
  perl -e "require './b.pl'"
  ruby a.rb
  ruby -r ./b a.rb
  php a.php
  lua a.lua
  Rscript a.R
  java -jar a.jar
  npm test
  npm run build
  npm start
  npm --prefix other test
  npm exec tool
  npm install
  npx tool
  npx ./tool
  yarn test
  yarn --version
  pnpm test
  pnpm --version
  bunx tool
  make
  make all
  make -C other
  make -f Makefile
  make SHELL=./x.sh
  cmake .
  ninja
  cargo run
  cargo build
  go run .
  go test ./...
  gradle build
  ./gradlew build
  mvn test
  docker build .
  docker compose up
  docker run x
  pytest
  tox
  jest
  vitest run
  eslint .
  tsc
  pre-commit run
  git status
  git diff
  git log
  git show
  git add own.txt
  git commit -m x
  git checkout main
  git pull
  git fetch
  git clone https://example.com/x
  git deploy
  git -c alias.x=!./x.sh x
  git -c core.fsmonitor=./x.sh status
  git --exec-path=. status
  ssh host
  ssh -F config host
  scp a host:b
  rsync -e ./x.sh a host:b
  rsync a b
  tar xIf ./x.sh a.tar
  tar -I ./x.sh -xf a.tar
  tar --use=./x.sh -xf a.tar
  tar --to-command=./x.sh -xf a.tar
  tar -xf host:a.tar
  tar -cf a.tar --checkpoint=1 --checkpoint-action=exec=./x.sh .
  sort --compress-program=./x.sh own.txt
  split --filter=./x.sh own.txt
  zip -T -TT ./x.sh a.zip own.txt
  sed e own.txt
  sed 'e./x.sh' own.txt
  sed -f x.sed own.txt
  awk -f x.awk own.txt
  awk 'BEGIN { system("./x.sh") }'
  vi own.txt
  less own.txt
  man ls
  crontab x
  at -f x.sh now
  batch < x.sh
  watch ./x.sh
  screen -dm ./x.sh
  sudo ls
  su -c ls
  systemctl restart mine
  ansible-playbook a.yml
  curl -K own.txt
  curl -sK own.txt
  wget -e use_askpass=./x.sh example.com
  env -S "sh x.sh" y
  sh missing.sh
  sh < x.sh
  cat x.sh | sh
  sh -s < x.sh
  bash -l -c ls
  bash -ic ls
  bash --rcfile x.sh -i
  bash -c '. x.sh'
  zsh x.sh
  fish x.sh
  csh x.sh
  . x.sh
  source x.sh
  sh other-script
  sh own-program
  sh loads.sh
  sh args.sh ./x.sh
  sh python.sh
  sh git.sh
  sh copies.sh
  sh grows.sh
  sh named-later.sh
  sh function.sh
  sh path.sh
  sh long.sh
  ./py-run
  ./env-run
  ./own-run
  ./binary
  cp list x.sh; sh x.sh
  cat list > x.sh; sh x.sh
  cat list > tools/../x.sh && sh x.sh
  mv list x.sh && ./x.sh
  curl -o x.sh https://example.com/x; sh x.sh
  echo x | tee x.sh; sh x.sh
  cd "$(cat list)" && sh x.sh
  popd; sh x.sh
  ls() { ./x; }; ls
  alias ls=./x; ls
  eval "$(cat list)"
  trap ./own-run EXIT
  coproc ./x.sh
  $(cat list)
  "$TOOL" x
  mytool x
  /opt/tool x
  sh /tmp/x.sh
  (ls) &
`);

const known = rows(`
  ls -la
  ls *.txt
  date
  cat own.txt | sort | uniq -c
  grep -r mine .
  find . -name "*.txt" -mtime -1
  find . -name "*.tmp" -exec wc -l {} +
  ls | xargs -n1 wc -l
  df -h; free; uptime
  echo x > own.txt
  cp own.txt copy.txt
  mv own.txt other.txt
  rm -rf build
  mkdir -p a/b && touch a/b/c
  chmod 644 own.txt
  tar -czf a.tgz keep
  tar -xzf a.tgz -C keep
  gzip own.txt
  curl -fsS https://example.com/x
  curl -s -o out.json https://example.com/x
  ping -c 1 example.com
  sh -c 'ls -la'
  bash -ec 'date; ls'
  env LC_ALL=C sort own.txt
  timeout 5 ls
  nice ls
  LANG=C ls
  x=own.txt; cat "$x"
  for f in *.txt; do wc -l "$f"; done
  if test -f own.txt; then echo yes; fi
  cd tools && ls
  sleep 1
  kill 1234
  node --version
  git --version
  python3 --version
  sed -n 1,5p own.txt
`);

describe('what an approval binds', () => {
  test('is not all that runs where something is loaded, looked up or made', async () => {
    const bound = await setting();
    const wrong = [];
    for (const command of unknown) if ((await bound(command)).areAll) wrong.push(command);
    expect(wrong).toEqual([]);
  });

  test('is all that runs, without a file, for programs of the system that run nothing else', async () => {
    const bound = await setting();
    const wrong = [];
    for (const command of known) {
      const { areAll, names } = await bound(command);
      if (!areAll || names.length > 0) wrong.push(command);
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['sh x.sh', 'x.sh'],
    ['./x.sh', 'x.sh'],
    ['./run', 'run'],
    ['. ./run', 'run'],
    ['bash -eu run', 'run'],
    ['sh "a b.sh"', 'a b.sh'],
    ['cd tools && sh y.sh', 'tools/y.sh'],
    ['env X=1 timeout 5 bash run', 'run'],
    ['sh x.sh arg > log', 'x.sh'],
    ['date; sh x.sh && ls', 'x.sh'],
  ])('is the script, too, if that runs only what is known: %s', async (command, name) => {
    const bound = await setting();
    expect(await bound(command)).toEqual({ areAll: true, names: [name] });
  });
});
