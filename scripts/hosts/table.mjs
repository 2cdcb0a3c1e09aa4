// The agents that can be run here: their package, the version that .ci/run uses, and how each is pointed at the model and at oriel.
// `calls`: the most calls in which a file of 414 KB is read to its end; `image`: whether the host passes images.
const codex = (model) => ({
  package: '@openai/codex',
  pinned: '0.171.0',
  files: ({ url }) => ({
    '.codex/config.toml': `model = "${model}"
model_provider = "lab"

[model_providers.lab]
name = "lab"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "LAB_KEY"

[mcp_servers.oriel]
command = "oriel"
args = ["mcp"]
required = true
omit_tools_from = ["deferred"]
`,
  }),
  env: () => ({ LAB_KEY: 'k' }),
  run: ({ bin }, prompt) => [`${bin}/codex`, 'exec', '--skip-git-repo-check', '-s', 'read-only', prompt],
});

const entry = { command: 'oriel', args: ['mcp'] };

export const HOSTS = {
  pi: {
    package: '@earendil-works/pi-coding-agent',
    pinned: '1.6.0',
    calls: 28,
    image: true,
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
      '.pi/agent/mcp.json': { mcpServers: { oriel: { ...entry, exposure: 'direct' } } },
    }),
    env: () => ({ PI_OFFLINE: '1' }),
    run: ({ bin }, prompt) => [`${bin}/pi`, '--provider', 'lab', '--model', 'm', '-p', prompt],
  },
  'codex-gpt-6': { ...codex('gpt-6.2-sol'), calls: 14, image: true, hidden: true },
  'codex-gpt-5.5': { ...codex('gpt-5.5'), calls: 12, image: true },
  gemini: {
    package: '@google/gemini-cli',
    pinned: '0.61.0',
    calls: 14,
    image: true,
    files: () => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        mcpServers: { oriel: entry },
      },
    }),
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
};
