#include "sluice/hosts/host.h"

#include <algorithm>

namespace sluice::hosts {

namespace {

using Member = HostShape::Member;

constexpr std::array<Member, 1> kStdioType = {{{"type", R"("stdio")"}}};
constexpr std::array<Member, 1> kLocalType = {{{"type", R"("local")"}}};
constexpr std::array<Member, 1> kCustomSource = {{{"source", R"("custom")"}}};
constexpr std::array<Member, 1> kEnabled = {{{"enabled", "true"}}};
constexpr std::array<Member, 1> kAllTools = {{{"tools", R"(["*"])"}}};

constexpr HostShape kStrictServers = {.format = HostFormat::kJson, .container = "mcpServers"};
constexpr HostShape kServers = {.format = HostFormat::kJsonc, .container = "mcpServers"};

constexpr std::array kHosts = {
    Host{.id = "claude-desktop",
         .name = "Claude Desktop",
         .shape = kStrictServers,
         .user_file = {.linux_path = "~/.config/Claude/claude_desktop_config.json",
                       .macos_path = "~/Library/Application Support/Claude/claude_desktop_config.json",
                       .windows_path = "%APPDATA%\\Claude\\claude_desktop_config.json"},
         .traces = {"~/.config/Claude"},
         .program = "claude-desktop"},
    Host{.id = "claude-code",
         .name = "Claude Code",
         .shape = {.format = HostFormat::kJson, .container = "mcpServers", .before = kStdioType},
         .user_file = {.linux_path = "~/.claude.json",
                       .macos_path = "~/.claude.json",
                       .windows_path = "%USERPROFILE%\\.claude.json"},
         .variable = "CLAUDE_CONFIG_DIR",
         .variable_file = ".claude.json",
         .project_file = ".mcp.json",
         .add_command = "claude mcp add --scope user --transport stdio NAME -- COMMAND",
         .traces = {"~/.claude.json", "~/.claude"},
         .program = "claude"},
    Host{.id = "cursor",
         .name = "Cursor",
         .shape = kServers,
         .user_file = {.linux_path = "~/.cursor/mcp.json",
                       .macos_path = "~/.cursor/mcp.json",
                       .windows_path = "%USERPROFILE%\\.cursor\\mcp.json"},
         .project_file = ".cursor/mcp.json",
         .traces = {"~/.cursor"},
         .program = "cursor"},
    Host{.id = "vscode",
         .name = "VS Code",
         .shape = {.format = HostFormat::kJsonc, .container = "servers", .before = kStdioType},
         .user_file = {.linux_path = "~/.config/Code/User/mcp.json",
                       .macos_path = "~/Library/Application Support/Code/User/mcp.json",
                       .windows_path = "%APPDATA%\\Code\\User\\mcp.json"},
         .project_file = ".vscode/mcp.json",
         .add_command = "code --add-mcp JSON",
         .traces = {"~/.config/Code"},
         .program = "code"},
    Host{.id = "codex",
         .name = "Codex",
         .shape = {.format = HostFormat::kToml, .container = "mcp_servers"},
         .user_file = {.linux_path = "~/.codex/config.toml",
                       .macos_path = "~/.codex/config.toml",
                       .windows_path = "%USERPROFILE%\\.codex\\config.toml"},
         .variable = "CODEX_HOME",
         .variable_file = "config.toml",
         .project_file = ".codex/config.toml",
         .add_command = "codex mcp add NAME -- COMMAND",
         .traces = {"~/.codex"},
         .program = "codex"},
    Host{.id = "gemini",
         .name = "Gemini CLI",
         .shape = kServers,
         .user_file = {.linux_path = "~/.gemini/settings.json",
                       .macos_path = "~/.gemini/settings.json",
                       .windows_path = "%USERPROFILE%\\.gemini\\settings.json"},
         .project_file = ".gemini/settings.json",
         .add_command = "gemini mcp add --scope user NAME COMMAND",
         .traces = {"~/.gemini"},
         .program = "gemini"},
    Host{.id = "windsurf",
         .name = "Windsurf",
         .shape = kServers,
         .user_file = {.linux_path = "~/.codeium/windsurf/mcp_config.json",
                       .macos_path = "~/.codeium/windsurf/mcp_config.json",
                       .windows_path = "%USERPROFILE%\\.codeium\\windsurf\\mcp_config.json"},
         .traces = {"~/.codeium/windsurf"},
         .program = "windsurf"},
    Host{.id = "opencode",
         .name = "OpenCode",
         .shape = {.format = HostFormat::kJsonc,
                   .container = "mcp",
                   .before = kLocalType,
                   .after = kEnabled,
                   .has_command_array = true},
         .user_file = {.linux_path = "~/.config/opencode/opencode.json",
                       .macos_path = "~/.config/opencode/opencode.json",
                       .windows_path = "%USERPROFILE%\\.config\\opencode\\opencode.json"},
         .other_file = "~/.config/opencode/opencode.jsonc",
         .project_file = "opencode.json",
         .traces = {"~/.config/opencode"},
         .program = "opencode"},
    Host{.id = "kiro",
         .name = "Kiro",
         .shape = kServers,
         .user_file = {.linux_path = "~/.kiro/settings/mcp.json",
                       .macos_path = "~/.kiro/settings/mcp.json",
                       .windows_path = "%USERPROFILE%\\.kiro\\settings\\mcp.json"},
         .project_file = ".kiro/settings/mcp.json",
         .traces = {"~/.kiro"},
         .program = "kiro"},
    Host{.id = "copilot",
         .name = "GitHub Copilot CLI",
         .shape = {.format = HostFormat::kJson,
                   .container = "mcpServers",
                   .before = kLocalType,
                   .after = kAllTools},
         .user_file = {.linux_path = "~/.copilot/mcp-config.json",
                       .macos_path = "~/.copilot/mcp-config.json",
                       .windows_path = "%USERPROFILE%\\.copilot\\mcp-config.json"},
         .project_file = ".mcp.json",
         .add_command = "copilot mcp add NAME -- COMMAND",
         .traces = {"~/.copilot"},
         .program = "copilot"},
    Host{.id = "zed",
         .name = "Zed",
         .shape = {.format = HostFormat::kJsonc, .container = "context_servers", .before = kCustomSource},
         .user_file = {.linux_path = "~/.config/zed/settings.json",
                       .macos_path = "~/.config/zed/settings.json",
                       .windows_path = "%APPDATA%\\Zed\\settings.json"},
         .project_file = ".zed/settings.json",
         .traces = {"~/.config/zed"},
         .program = "zed"},
    Host{.id = "cline",
         .name = "Cline",
         .shape = kServers,
         .user_file =
             {.linux_path =
                  "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
              .macos_path = "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/"
                            "settings/cline_mcp_settings.json",
              .windows_path = "%APPDATA%\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\settings\\"
                              "cline_mcp_settings.json"},
         .traces = {"~/.config/Code/User/globalStorage/saoudrizwan.claude-dev"}},
    Host{.id = "lmstudio",
         .name = "LM Studio",
         .shape = kServers,
         .user_file = {.linux_path = "~/.lmstudio/mcp.json",
                       .macos_path = "~/.lmstudio/mcp.json",
                       .windows_path = "%USERPROFILE%\\.lmstudio\\mcp.json"},
         .traces = {"~/.lmstudio"}},
};

}  // namespace

std::span<const Host> all_hosts() { return kHosts; }

const Host* find_host(std::string_view id) {
  const auto* const found =
      std::find_if(kHosts.begin(), kHosts.end(), [id](const Host& host) { return host.id == id; });
  return found == kHosts.end() ? nullptr : found;
}

}  // namespace sluice::hosts
