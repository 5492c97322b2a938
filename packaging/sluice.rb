# A Homebrew formula for Linux; not run: only its syntax was checked. VERSION and SHA256 are those of the release.
class Sluice < Formula
  desc "Serves tables, files, databases and APIs to AI agents over MCP"
  homepage "https://github.com/sluice-mcp/sluice"
  version "VERSION"
  license "MIT"

  depends_on :linux

  on_intel do
    url "https://github.com/sluice-mcp/sluice/releases/download/v#{version}/sluice-#{version}-linux-x64.tar.gz"
    sha256 "SHA256 of the archive for x64"
  end

  on_arm do
    url "https://github.com/sluice-mcp/sluice/releases/download/v#{version}/sluice-#{version}-linux-arm64.tar.gz"
    sha256 "SHA256 of the archive for arm64"
  end

  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"bin/sluice"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sluice version")
  end
end
