// The agents that can be run here: their package, the version that .ci/run uses, and how each is pointed at the model. The entry of
// oriel is the one that `oriel install` writes for the first word of the name.
// `image`: whether a model gets images; `hidden`: the first request cannot declare the tools; `read`: the name of the tool, if the
// host gives it no prefix; `scripts`: more arguments with which its model writes scripts that call tools; `adds`: whether it declares
// tools of its own beside those of any server.
import { join } from 'node:path';

const codex = (model) => ({
  package: '@openai/codex',
  pinned: '0.171.0',
  image: true,
  adds: true,
  files: ({ url }) => ({
    '.codex/config.toml': `model = "${model}"
model_provider = "lab"

[model_providers.lab]
name = "lab"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "LAB_KEY"
`,
  }),
  env: () => ({ LAB_KEY: 'k' }),
  run: ({ bin }, prompt) => [`${bin}/codex`, 'exec', '--skip-git-repo-check', '-s', 'read-only', prompt],
});

/** opencode, and Kilo, which is made from it. */
const opencode = (name, program, ...run) => ({
  image: true,
  files: ({ url }) => ({
    [`.config/${name}/${name}.json`]: {
      model: 'lab/m',
      autoupdate: false,
      provider: {
        lab: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${url}/v1`, apiKey: 'k' },
          models: {
            m: {
              name: 'm',
              tool_call: true,
              attachment: true,
              limit: { context: 2_000_000, output: 8_000 },
              modalities: { input: ['text', 'image'], output: ['text'] },
            },
          },
        },
      },
    },
  }),
  env: () => ({}),
  run: ({ bin }, prompt) => [join(bin, program), ...run, prompt],
});

const KILO = `@kilocode/cli-${process.platform}-${process.arch}`;

/** The settings of Gemini CLI, and of Qwen Code, which is made from it. */
const quiet = (selectedType) => ({
  security: { auth: { selectedType }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
});

export const HOSTS = {
  claude: {
    package: '@anthropic-ai/claude-code',
    image: true,
    files: ({ project }) => ({
      '.claude.json': {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ['k'] },
        projects: { [project]: { hasTrustDialogAccepted: true } },
      },
    }),
    // With a model on this machine it would search no tools.
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'k',
      ENABLE_TOOL_SEARCH: 'true',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    run: ({ bin }, prompt) => [
      `${bin}/claude`,
      '-p',
      prompt,
      '--model',
      'claude-opus-4-8',
      '--allowedTools',
      'mcp__oriel',
    ],
  },
  'codex-gpt-6': { ...codex('gpt-6.2-sol'), hidden: true, scripts: [] },
  'codex-gpt-5.5': codex('gpt-5.5'),
  'codex-gpt-5': codex('gpt-5'),
  'codex-other': codex('my-own-model:8b'),
  opencode: { package: 'opencode-ai', ...opencode('opencode', 'opencode', 'run') },
  // Its package `@kilocode/cli` 7.8.1 names others that are not published.
  kilo: { package: KILO, ...opencode('kilo', `../${KILO}/bin/kilo`, 'run', '--auto') },
  gemini: {
    package: '@google/gemini-cli',
    pinned: '0.61.0',
    image: true,
    files: () => ({ '.gemini/settings.json': quiet('gemini-api-key') }),
    env: ({ url }) => ({
      GEMINI_API_KEY: 'k',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    run: ({ bin }, prompt) => [
      `${bin}/gemini`,
      '--approval-mode',
      'yolo',
      '-m',
      'gemini-2.5-pro',
      '-p',
      prompt,
    ],
  },
  qwen: {
    package: '@qwen-code/qwen-code',
    image: false,
    files: () => ({ '.qwen/settings.json': quiet('openai') }),
    env: ({ url }) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'm' }),
    run: ({ bin }, prompt) => [
      `${bin}/qwen`,
      '--approval-mode',
      'yolo',
      '--auth-type',
      'openai',
      '-p',
      prompt,
    ],
  },
  copilot: {
    package: '@github/copilot',
    image: false,
    files: () => ({}),
    env: ({ url }) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'k',
      COPILOT_PROVIDER_WIRE_API: 'completions',
      COPILOT_MODEL: 'gpt-5.4',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    run: ({ bin }, prompt) => [`${bin}/copilot`, '--allow-all-tools', '--allow-all-paths', '-p', prompt],
  },
  pi: {
    package: '@earendil-works/pi-coding-agent',
    pinned: '1.6.0',
    image: true,
    scripts: ['--tools', '+codemode'],
    files: ({ url }) => ({
      '.pi/agent/models.json': {
        providers: {
          lab: {
            baseUrl: url,
            api: 'anthropic-messages',
            apiKey: 'k',
            models: [
              { id: 'm', name: 'm', contextWindow: 2_000_000, maxTokens: 8_000, input: ['text', 'image'] },
            ],
          },
        },
      },
    }),
    env: () => ({ PI_OFFLINE: '1' }),
    run: ({ bin }, prompt) => [`${bin}/pi`, '--provider', 'lab', '--model', 'm', '-p', prompt],
  },
  cline: {
    package: 'cline',
    image: false,
    files: ({ url }) => ({
      '.cline/data/settings/providers.json': {
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: { provider: 'openai-compatible', apiKey: 'k', model: 'm', baseUrl: `${url}/v1` },
            updatedAt: '2026-01-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      },
    }),
    // A daemon of an earlier run would answer with its own servers.
    env: ({ url }) => ({ CLINE_HUB_PORT: String(Number(new URL(url).port) + 1) }),
    run: ({ bin }, prompt) => [
      `${bin}/cline`,
      '-P',
      'openai-compatible',
      '-m',
      'm',
      '--compaction',
      'off',
      '-t',
      '500',
      prompt,
    ],
  },
  continue: {
    package: '@continuedev/cli',
    image: false,
    read: /^read$/,
    files: ({ url }) => ({
      '.continue/config.yaml': `name: lab
version: 0.0.1
schema: v1
models:
  - name: m
    provider: openai
    model: m
    apiBase: ${url}/v1
    apiKey: k
    roles: [chat]
    defaultCompletionOptions:
      contextLength: 2000000
      maxTokens: 8000
    capabilities: [tool_use, image_input]
`,
    }),
    env: () => ({}),
    run: ({ bin, home }, prompt) => [
      `${bin}/cn`,
      '-p',
      '--auto',
      '--config',
      `${home}/.continue/config.yaml`,
      prompt,
    ],
  },
};
